# SPDX-License-Identifier: GPL-3.0-or-later
"""The download of LibTorch as ./workbench does it, with the pip of this system and an index on this machine: what was
fetched is not fetched again, whatever happens in between. Usage: test_fetch_wheel.py SOURCE_TREE"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
TREE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(TREE / 'cmake'))
import fetch_wheel  # noqa: E402
from wheel_server import NAME, Server  # noqa: E402

HALF = 12 << 14  # bytes: whole chunks of fetch_wheel.py
LIMIT = 100      # seconds: only so that a defect does not hang


class FetchWheel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.release.set)
        # A clone whose pinned LibTorch is the server's.
        self.tree = self.scratch / 'tree'
        (self.tree / 'cmake').mkdir(parents=True)
        shutil.copy(TREE / 'workbench', self.tree)
        for name in ('setup.sh', 'fetch_wheel.py', 'packages.txt'):
            shutil.copy(TREE / 'cmake' / name, self.tree / 'cmake')
        (self.tree / 'cmake/requirements-torch.txt').write_text(f'torch==2.11.0 --hash=sha256:{self.server.pin}\n')
        self.wheels = self.scratch / 'cache/stagecraft/wheels'
        self.part = self.wheels / f'{self.server.pin}.part'
        self.env = {'PATH': f'{self.scratch}/bin:' + os.environ['PATH'], 'HOME': str(self.scratch), 'LC_ALL': 'C.UTF-8', 'XDG_CACHE_HOME': f'{self.scratch}/cache',
                    'PIP_CONFIG_FILE': '/dev/null', 'PIP_INDEX_URL': self.server.address + '/simple', 'PIP_RETRIES': '0', 'PIP_TIMEOUT': '60'}
        for name, script in {'dpkg-query': 'shift 3; for p; do echo "$p ii "; done', 'cmake': 'exit 1'}.items():
            (self.scratch / 'bin').mkdir(exist_ok=True)
            (self.scratch / 'bin' / name).write_text('#!/bin/sh\n' + script + '\n')
            (self.scratch / 'bin' / name).chmod(0o755)

    def start(self, command):
        # A group of its own for the interrupt; one that is ignored here would stay so there.
        process = subprocess.Popen(command, env=self.env, cwd=self.tree, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdout.close)
        self.addCleanup(lambda: process.poll() is None and os.killpg(process.pid, signal.SIGKILL))
        return process

    def end(self, process, status):
        said, _ = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, status, said)
        return said

    def steps(self, commands):
        return self.start(['bash', '-c', 'set -euo pipefail; root=$PWD; cache="$XDG_CACHE_HOME/stagecraft"; . cmake/setup.sh; ' + commands])

    def fetch(self, status=0):
        """One start: only the wheel, not unpacked."""
        return self.end(self.steps('mkdir -p "$cache/wheels"; fetch_wheel "$(cat "$torch_requirements")" "$cache/logs/torch.log" "$cache/wheels"'), status)

    def log(self):
        return (self.scratch / 'cache/stagecraft/logs/torch.log').read_text()

    def assert_whole(self):
        self.assertEqual((self.wheels / NAME).read_bytes(), self.server.wheel)
        self.assertFalse(self.part.exists())

    def wait_until(self, true, process=None):
        end = time.monotonic() + LIMIT
        while not true():
            self.assertLess(time.monotonic(), end, 'nothing happens')
            if process:
                self.assertIsNone(process.poll(), 'it ended')
            time.sleep(0.02)

    def begin_half(self):
        """A part of HALF bytes, as an interrupted start leaves it."""
        self.wheels.mkdir(parents=True)
        self.part.write_bytes(self.server.wheel[:HALF])

    def test_a_whole_fetch_is_unpacked_and_leaves_no_part(self):
        self.server.answers = [{'cut': HALF}]
        self.env |= {'PIP_USER': '1', 'PIP_REQUIRE_VIRTUALENV': '1'}  # meant for packages of one's own
        said = self.end(self.steps('fetch_torch; cat "$(torch_folder)/torch/lib/libtorch_cpu.so" | wc -c'), 0)
        self.assertIn('unpacking LibTorch', said)
        self.assertEqual(said.split()[-1], '400000')
        self.assertFalse(self.wheels.exists())
        self.assertEqual(self.server.sent, len(self.server.wheel))

    def test_cut_connections_are_taken_up_again_at_once(self):
        self.server.answers = [{'cut': 100_000}, {'cut': 1}, {'cut': 50_000}]
        self.fetch()
        self.assert_whole()
        self.assertEqual(self.server.requests, [0, 100_000, 100_001, 150_001])
        self.assertEqual(self.server.sent, len(self.server.wheel))

    def test_interrupted_twice_it_goes_on_where_it_stopped(self):
        for interrupted in (1, 2):
            self.server.answers = [{'stall': HALF // 2}]
            start = self.start(['./workbench', 'build'])
            self.wait_until(lambda: self.part.exists() and self.part.stat().st_size == interrupted * HALF // 2, start)
            os.killpg(start.pid, signal.SIGINT)
            said = self.end(start, 130)
            self.assertIn('start again to go on where this stopped', said)
            self.assertEqual('going on: 0 MB of torch==2.11.0 are here already' in said, interrupted == 2, said)
            self.assertEqual(self.part.stat().st_size, interrupted * HALF // 2)
        self.assertIn('unpacking LibTorch', self.end(self.start(['./workbench', 'build']), 1))  # there is no cmake
        self.assertEqual(self.server.requests, [0, HALF // 2, HALF])
        self.assertEqual(self.server.sent, len(self.server.wheel))

    def test_what_was_here_counts_in_the_progress(self):
        self.begin_half()
        self.server.answers = [{'stall': 0}]
        start = self.steps('mkdir -p "$cache/wheels"; fetch_wheel "$(cat "$torch_requirements")" "$cache/logs/torch.log" "$cache/wheels"')
        said = ''
        while ' %' not in said:
            said = start.stdout.readline()
            self.assertTrue(said, 'it ended')
        self.assertIn(f'{100 * HALF // len(self.server.wheel)} %', said)
        self.server.release.set()
        self.end(start, 0)
        self.assert_whole()

    def test_two_clones_at_once_fetch_it_once(self):
        self.server.answers = [{'stall': HALF}]
        one = self.steps('fetch_torch')
        self.wait_until(lambda: self.server.requests, one)
        other = self.steps('fetch_torch')
        self.assertIn('waiting for another set-up', other.stdout.readline())
        self.server.release.set()
        self.end(one, 0)
        self.assertNotIn('fetching', self.end(other, 0))
        self.assertEqual(self.server.sent, len(self.server.wheel))

    def test_a_server_without_ranges_sends_all_again(self):
        self.begin_half()
        self.server.answers = [{'ranges': False}]
        self.fetch()
        self.assert_whole()
        self.assertIn('takes no requests for parts', self.log())

    def test_a_damaged_part_is_begun_anew(self):
        self.begin_half()
        self.part.write_bytes(b'x' + self.server.wheel[1:HALF])
        self.fetch()
        self.assert_whole()
        self.assertEqual(self.server.requests, [HALF, 0])

    def test_a_part_longer_than_the_file_is_begun_anew(self):
        self.begin_half()
        self.part.write_bytes(self.server.wheel + b'x')
        self.fetch()
        self.assert_whole()
        self.assertEqual(self.server.requests, [len(self.server.wheel) + 1, 0])

    def test_a_part_that_is_whole_only_gets_its_name(self):
        self.begin_half()
        self.part.write_bytes(self.server.wheel)
        self.fetch()
        self.assert_whole()
        self.assertEqual(self.server.requests, [])

    def test_a_wheel_that_is_here_needs_no_network(self):
        self.wheels.mkdir(parents=True)
        (self.wheels / NAME).write_bytes(self.server.wheel)
        self.env['PIP_INDEX_URL'] = 'http://127.0.0.1:1/simple'
        self.fetch()

    def test_a_damaged_wheel_that_is_here_is_replaced(self):
        self.wheels.mkdir(parents=True)
        (self.wheels / NAME).write_bytes(self.server.wheel[:-1])
        self.fetch()
        self.assert_whole()

    def test_a_wrong_byte_is_refused_and_not_kept(self):
        self.server.answers = [{'wrong': 5}]
        said = self.fetch(1)
        self.assertIn('The download of torch==2.11.0 is damaged or was replaced', said)
        self.assertIn('run PIP_INDEX_URL=https://pypi.org/simple ./workbench run', said)
        self.assertFalse((self.wheels / NAME).exists())
        self.assertEqual(self.part.stat().st_size, 0)

    def test_an_index_with_another_hash_is_refused_before_the_download(self):
        self.server.index = 'other'
        self.assertIn('damaged or was replaced', self.fetch(1))
        self.assertEqual(self.server.requests, [])

    def test_indexes_of_every_kind(self):
        for index in ('html', 'bare'):
            with self.subTest(index):
                shutil.rmtree(self.wheels, ignore_errors=True)
                self.server.index = index
                self.server.answers = [{'cut': HALF}]
                self.assertNotIn('pip fetches', self.fetch())
                self.assert_whole()

    def test_a_password_in_the_address_of_the_index_is_used_for_the_file_and_not_told(self):
        self.server.password = 'me:secret'
        self.env['PIP_INDEX_URL'] = self.server.address.replace('//', '//me:secret@') + '/simple'
        self.server.answers = [{'cut': HALF}, {'status': 503}]
        self.assertNotIn('secret', self.fetch(1) + self.log())
        self.fetch()
        self.assert_whole()
        self.assertEqual(self.server.sent, len(self.server.wheel))

    def test_a_lost_connection_keeps_what_is_here(self):
        for answer, word in (({'status': 503}, '503'), ({'page': True}, 'may want you to log in'), ({'cut': 0}, 'cut')):
            with self.subTest(word):
                shutil.rmtree(self.wheels, ignore_errors=True)
                self.server.answers = [{'cut': HALF}, answer]
                said = self.fetch(1)
                self.assertIn(word, said)
                self.assertIn('and run ./workbench run: what is here is kept', said)
                self.assertEqual(said.count('workbench: Cannot fetch'), 1, said)
                self.assertEqual(self.part.read_bytes(), self.server.wheel[:HALF])

    def test_offline(self):
        self.env['PIP_INDEX_URL'] = 'http://127.0.0.1:1/simple'
        said = self.fetch(1)
        self.assertIn('Cannot fetch torch==2.11.0: 127.0.0.1:1: Connection refused; connect to the network', said)
        self.assertNotIn('pip fetches', said)

    def test_a_server_that_is_not_secure(self):
        self.env['PIP_INDEX_URL'] = self.server.address.replace('http://127.0.0.1', 'https://localhost') + '/simple'
        said = self.fetch(1)
        self.assertIn('no secure connection to localhost:', said)
        self.assertIn('run PIP_CERT=FILE ./workbench run', said)
        self.assertNotIn('not permitted', said)

    def test_a_proxy_that_refuses(self):
        for scheme in ('http', 'https'):
            with self.subTest(scheme):
                self.env['PIP_INDEX_URL'] = f'{scheme}://127.0.0.1:1/simple'
                self.env[f'{scheme}_proxy'] = self.server.address
                said = self.fetch(1)
                self.assertIn('the proxy refuses: no way to 127.0.0.1:1: ', said)
                self.assertIn('run https_proxy=http://USER:PASSWORD@HOST:PORT ./workbench run', said)

    def test_a_full_disk(self):
        self.begin_half()
        part = fetch_wheel.Part(str(self.part))
        part.file.close()
        with open('/dev/full', 'wb', buffering=0) as part.file, self.assertRaises(fetch_wheel.Trouble) as raised:
            part.append(b'x')
        self.assertEqual((raised.exception.code, part.size), (fetch_wheel.DISK_FULL, HALF))
        self.assertIn('No space left on device', str(raised.exception))

    def test_a_part_that_cannot_be_written(self):
        self.part.mkdir(parents=True)
        said = self.fetch(1)
        self.assertIn('Is a directory', said)
        self.assertIn('sudo chown -R', said)

    def test_pip_does_what_we_cannot(self):
        self.server.index = 'none'
        said = self.fetch(1)
        self.assertIn('pip fetches torch==2.11.0 itself, from the beginning (the package index has no such file)', said)
        self.assertIn('the package index of this machine has no such file; run PIP_INDEX_URL=https://pypi.org/simple ./workbench run', said)
        self.env['PIP_NO_INDEX'] = '1'
        self.assertIn('has no such file; run PIP_NO_INDEX=0 PIP_INDEX_URL=', self.fetch(1))
        del self.env['PIP_NO_INDEX']
        self.server.index = 'json'
        self.server.answers = [{'status': 404}, {'status': 404}]
        said = self.fetch(1)
        self.assertIn('answers 404', said)
        self.assertIn('has no such file; run', said)
        self.server.answers = [{'status': 403}]  # ours; pip's own request is met well
        self.assertIn('pip fetches', self.fetch())
        self.assertEqual((self.wheels / NAME).read_bytes(), self.server.wheel)


if __name__ == '__main__':
    unittest.main()
