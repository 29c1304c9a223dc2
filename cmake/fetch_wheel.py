# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches one pinned wheel so that an interrupted download goes on where it stopped; pip by itself begins again.

Usage: fetch_wheel.py "NAME==VERSION --hash=sha256:HEX" PART FOLDER PIP_OPTION...

Where the wheel is and how to reach it (indexes, find-links, proxies, certificates, credentials, time-outs) is left to the
pip of this interpreter, so that its configuration holds here too. The bytes are collected in the file PART; with the
pinned hash, and only then, it moves into FOLDER under the wheel's name. The caller sees to it that nobody else uses PART.

Ends with a code of the table below; unless all is well, the last line printed says why.
"""
import errno
import hashlib
import http.client
import os
import re
import ssl
import sys
import time

DONE = 0
LEAVE_TO_PIP = 3      # another way may work: pip's own
NO_CONNECTION = 4     # PART is kept, as in all that follow but OTHER_HASH
PROXY_REFUSES = 5
DISK_FULL = 6
OTHER_HASH = 7
CANNOT_WRITE = 8
NOT_SECURE = 9        # a certificate, mostly
INTERRUPTED = 130

CHUNK = 1 << 14       # bytes: what an interrupt loses at most
PAUSE = 0.5           # seconds before a cut connection is tried again


class Trouble(Exception):
    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def cause(error):
    """The words at the bottom of a network error: the libraries wrap them four deep."""
    while True:
        inner = getattr(error, 'reason', None)
        if not isinstance(inner, BaseException):
            inner = next((a for a in error.args if isinstance(a, BaseException)), None)
        if inner is None:
            break
        error = inner
    # OpenSSL numbers its errors in a way of its own.
    numbered = isinstance(error, OSError) and not isinstance(error, ssl.SSLError) and (error.errno or 0) > 0
    words = os.strerror(error.errno) if numbered else str(error)
    words = re.sub(r'^.*\[Errno -?\d+\] |^<[^>]*>: |^.*\[SSL[^]]*\] | \(_ssl\.c:\d+\)', '', words.replace('\n', ' '))
    return words.rstrip('.') or type(error).__name__


def network_trouble(error, host):
    from pip._vendor.requests.exceptions import ProxyError, SSLError
    if isinstance(error, ProxyError):
        return Trouble(PROXY_REFUSES, f'no way to {host}: {cause(error)}')
    if isinstance(error, SSLError):
        return Trouble(NOT_SECURE, f'{host}: {cause(error)}')
    return Trouble(NO_CONNECTION, f'{host}: {cause(error)}')


class Part:
    """The bytes that are here already, and their hash."""

    def __init__(self, path):
        self.path = path
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Unbuffered: whatever ends this process, what was received is in the file.
            self.file = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), 'r+b', buffering=0)
        except OSError as error:
            raise self.trouble(error)
        self.size = 0
        self.hash = hashlib.sha256()
        while block := self.file.read(1 << 20):
            self.count(block)
        self.joined = self.size > 0  # not all is of one answer, so that a piece may be out of place

    def count(self, block):
        self.hash.update(block)
        self.size += len(block)

    def trouble(self, error):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return Trouble(DISK_FULL if full else CANNOT_WRITE, f'{self.path}: {error.strerror}')

    def append(self, block):
        view = memoryview(block)
        try:
            while view:
                written = self.file.write(view)
                self.count(view[:written])
                view = view[written:]
        except OSError as error:
            raise self.trouble(error)

    def clear(self):
        self.file.truncate(0)
        self.file.seek(0)
        self.size, self.joined, self.hash = 0, False, hashlib.sha256()


def pip_session(options):
    """A session and a finder as `pip download` has them, and the network errors the finder met: it only logs them."""
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command
    command = create_command('download')
    # What passes here is not for pip's cache, which keeps a second copy and begins again as well.
    values, _ = command.parse_args(options + ['--no-cache-dir', '--no-input'])
    values.ignore_installed = True
    session = command._build_session(values)
    met = []
    request = session.request

    def noted(method, url, *args, **kwargs):
        host = re.sub(r'^\w+://(?:[^@/]*@)?([^/?#]*).*', r'\1', url)
        try:
            response = request(method, url, *args, **kwargs)
        except Exception as error:
            met.append(network_trouble(error, host))
            raise
        if response.status_code == 407:
            met.append(Trouble(PROXY_REFUSES, f'no way to {host}: 407 {response.reason}'))
        return response

    session.request = noted
    return session, command._build_package_finder(values, session, target_python=make_target_python(values)), met


def parse(requirement):
    match = re.fullmatch(r'([A-Za-z0-9._-]+)==(\S+)\s+--hash=sha256:([0-9a-f]{64})\s*', requirement)
    if not match:
        raise Trouble(LEAVE_TO_PIP, 'no single version with a single SHA-256 is pinned')
    return match.groups()


def find(name, version, pin, finder, met):
    """The link of the wheel."""
    from pip._internal.utils.hashes import Hashes
    from pip._vendor.packaging.specifiers import SpecifierSet
    pinned = Hashes({'sha256': [pin]})
    best = finder.find_best_candidate(name, SpecifierSet('==' + version), pinned).best_candidate
    if best is None:
        if met:
            raise met[-1]
        raise Trouble(LEAVE_TO_PIP, 'its settings say no-index' if finder.search_scope.no_index else 'the package index has no such file')
    link = best.link
    if link.scheme not in ('http', 'https') or not link.is_wheel or '/' in link.filename:
        raise Trouble(LEAVE_TO_PIP, 'it is not a wheel on a web server')
    if link.hash_name == 'sha256' and link.hash != pin:
        raise Trouble(OTHER_HASH, f'{link.netloc} has {link.filename} with the SHA-256 {link.hash}')
    return link


def receive(session, link, part):
    """One request for what is missing. Returns when the server says that nothing is."""
    headers = {'Accept-Encoding': 'identity'}
    if part.size:
        headers['Range'] = f'bytes={part.size}-'
    with session.get(link.url_without_fragment, headers=headers, stream=True) as response:
        status = response.status_code
        if part.size and status == 416:
            return  # whole, or no part of this file: its hash tells
        if status == 407:
            raise Trouble(PROXY_REFUSES, f'no way to {link.netloc}: 407 {response.reason}')
        if status in (408, 425, 429) or status >= 500:
            raise Trouble(NO_CONNECTION, f'{link.netloc} answers {status} {response.reason}')
        if status not in (200, 206):
            raise Trouble(LEAVE_TO_PIP, f'{link.netloc} answers {status} {response.reason}')
        if response.headers.get('Content-Type', '').startswith('text/html'):
            raise Trouble(NO_CONNECTION, f'a web page came instead of {link.filename}: this network may want you to log in')
        begin = re.match(r'bytes (\d+)-', response.headers.get('Content-Range', '')) if status == 206 else None
        if part.size and (begin is None or int(begin[1]) != part.size):
            print(f'{link.netloc} takes no requests for parts: beginning again', flush=True)
            part.clear()
            if status == 206:
                return receive(session, link, part)
        part.joined = part.size > 0
        length = response.headers.get('Content-Length', '')
        end = part.size + int(length) if length.isdigit() else None
        print(f'Downloading {link.filename}' + (f' ({end} B)' if end else ''), flush=True)
        for block in response.raw.stream(CHUNK, decode_content=False):
            part.append(block)
        if end is not None and part.size < end:
            raise ConnectionError(f'the connection was cut after {part.size} of {end} bytes')


def fetch(session, link, pin, part):
    """Receives until the pinned hash is there, for as long as each new connection brings something."""
    from pip._vendor.urllib3.exceptions import HTTPError
    furthest = part.size
    again = True  # a part that turns out damaged is begun anew, once
    while part.hash.hexdigest() != pin:
        try:
            receive(session, link, part)
        except (OSError, HTTPError, http.client.HTTPException) as error:
            if part.size <= furthest:
                raise network_trouble(error, link.netloc)
            furthest = part.size
            print(f'{link.netloc}: {cause(error)}; going on', flush=True)
            time.sleep(PAUSE)
            continue
        if part.hash.hexdigest() == pin:
            break
        damaged = part.joined and again
        got = part.hash.hexdigest()
        part.clear()
        if not damaged:
            raise Trouble(OTHER_HASH, f'{link.netloc} sent {link.filename} with the SHA-256 {got}')
        print('What was here is damaged: beginning again', flush=True)
        again, furthest = False, 0


def is_here(name, version, pin, folder):
    """Whether the wheel was fetched before: then no network is needed."""
    begin = (re.sub(r'[-_.]+', '_', name) + '-' + version).lower()
    for entry in os.listdir(folder) if os.path.isdir(folder) else []:
        if entry.lower().startswith(begin) and entry.endswith('.whl'):
            with open(os.path.join(folder, entry), 'rb') as file:
                if hashlib.file_digest(file, 'sha256').hexdigest() == pin:
                    return True
    return False


def main():
    requirement, part_path, folder, *options = sys.argv[1:]
    name, version, pin = parse(requirement)
    if is_here(name, version, pin, folder):
        return
    session, finder, met = pip_session(options)
    link = find(name, version, pin, finder, met)
    part = Part(part_path)
    fetch(session, link, pin, part)
    part.file.close()
    try:
        os.replace(part_path, os.path.join(folder, link.filename))
    except OSError as error:
        raise part.trouble(error)


if __name__ == '__main__':
    try:
        main()
    except Trouble as trouble:
        print(trouble)
        sys.exit(trouble.code)
    except KeyboardInterrupt:
        print('interrupted')
        sys.exit(INTERRUPTED)
    except SystemExit:
        print('it refuses its own settings')
        sys.exit(LEAVE_TO_PIP)
    except BaseException as error:  # a pip that is built in another way, say
        print(f'{type(error).__name__}: {error}'.replace('\n', ' '))
        sys.exit(LEAVE_TO_PIP)
