# SPDX-License-Identifier: GPL-3.0-or-later
"""A package index with one wheel on 127.0.0.1 that misbehaves as told, and notes what it was asked and what it sent."""
import base64
import hashlib
import http.server
import io
import json
import random
import re
import threading
import zipfile

NAME = 'torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl'


def make_wheel():
    """A wheel that pip unpacks; what is in it does not compress."""
    info = 'torch-2.11.0.dist-info'
    files = {'torch/lib/libtorch_cpu.so': random.Random(7).randbytes(400_000),
             f'{info}/METADATA': b'Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0\n',
             f'{info}/WHEEL': b'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_28_x86_64\n'}
    files[f'{info}/RECORD'] = ''.join(f'{name},,\n' for name in [*files, f'{info}/RECORD']).encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, 'w') as zipped:
        for name, data in files.items():
            zipped.writestr(name, data)
    return archive.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """`answers` holds, first come first served, how requests for the wheel are met; an empty list means well.

    An answer is a dict: `cut` bytes after which the connection breaks, `stall` bytes after which it hangs until `release`
    is set, `ranges` False to send all, `wrong` an offset that is sent damaged, `status`, `page` True for a web page.
    """
    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.wheel = make_wheel()
        self.pin = hashlib.sha256(self.wheel).hexdigest()
        self.address = f'http://127.0.0.1:{self.server_address[1]}'
        self.answers = []
        self.requests = []          # of the wheel: the first byte wanted
        self.sent = 0               # bytes of the wheel
        self.index = 'json'         # or 'html', 'bare' (no hashes), 'other' (another hash), 'none'
        self.password = None        # "user:password"
        self.release = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, kind='text/plain', body=b'', **headers):
        self.send_response(status)
        for name, value in {'Content-Type': kind, 'Content-Length': len(body), **headers}.items():
            self.send_header(name.replace('_', '-'), str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        self.reply(403)

    def do_GET(self):
        server = self.server
        if self.path.startswith('http:'):  # we are taken for a proxy
            return self.reply(407)
        if server.password and self.headers.get('Authorization') != 'Basic ' + base64.b64encode(server.password.encode()).decode():
            return self.reply(401, WWW_Authenticate='Basic realm="test"')
        if self.path == '/simple/torch/':
            return self.send_index(server.index)
        if self.path == '/files/' + NAME:
            return self.send_wheel(server.answers.pop(0) if server.answers else {})
        self.reply(404)

    def send_index(self, kind):
        if kind == 'none':
            return self.reply(404)
        pin = {'bare': None, 'other': '0' * 64}.get(kind, self.server.pin)
        if kind == 'json':
            page = {'meta': {'api-version': '1.0'}, 'name': 'torch',
                    'files': [{'filename': NAME, 'url': '../../files/' + NAME, 'hashes': {'sha256': pin}}]}
            return self.reply(200, 'application/vnd.pypi.simple.v1+json', json.dumps(page).encode())
        fragment = f'#sha256={pin}' if pin else ''
        self.reply(200, 'text/html', f'<!DOCTYPE html><html><body><a href="../../files/{NAME}{fragment}">{NAME}</a></body></html>'.encode())

    def send_wheel(self, answer):
        server = self.server
        wanted = re.match(r'bytes=(\d+)-', self.headers.get('Range', ''))
        server.requests.append(int(wanted[1]) if wanted else 0)
        if 'status' in answer:
            return self.reply(answer['status'])
        if 'page' in answer:
            return self.reply(200, 'text/html; charset=utf-8', b'<html>Please log in</html>')
        begin = int(wanted[1]) if wanted and answer.get('ranges', True) else 0
        size = len(server.wheel)
        if begin >= size:
            return self.reply(416, Content_Range=f'bytes */{size}')
        data = bytearray(server.wheel)
        if 'wrong' in answer:
            data[answer['wrong']] ^= 1
        end = begin + min(answer.get('cut', size), answer.get('stall', size))
        self.send_response(206 if begin else 200)
        self.send_header('Content-Type', 'application/octet-stream')
        self.send_header('Content-Length', str(size - begin))
        if begin:
            self.send_header('Content-Range', f'bytes {begin}-{size - 1}/{size}')
        self.end_headers()
        self.wfile.write(data[begin:end])
        self.wfile.flush()
        server.sent += min(end, size) - begin
        if 'stall' in answer:
            server.release.wait()
            self.wfile.write(data[end:])  # nobody there any more: the thread ends
            server.sent += size - end
