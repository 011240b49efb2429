"""Runs OpenStack Swift with its S3 API in one process, on free ports of 127.0.0.1.

Arguments: a folder for its databases, the access key as ACCOUNT:USER, and the secret key. Objects are kept in memory,
because not every file system of a build machine has the extended attributes that the object server needs. Prints the
port of the S3 API once it accepts requests, and ends when standard input does.
"""
# cspell:ignore tpool loadapp tempauth
import sys

import eventlet

eventlet.monkey_patch()

import os

from eventlet import tpool, wsgi
from swift.common.ring.builder import RingBuilder
from swift.common import utils
from paste.deploy import loadapp

folder, access_key, secret_key = sys.argv[1:]
account, user = access_key.split(':')


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


class Silent:
    def write(self, _text):
        pass


class Cache:
    """Takes the place of memcached, which Swift requires."""

    def __init__(self):
        self.values = {}

    def get(self, key, raise_on_error=False):
        return self.values.get(key)

    def set(self, key, value, **_options):
        self.values[key] = value

    def incr(self, key, delta=1, **_options):
        self.values[key] = int(self.values.get(key, 0)) + delta
        return self.values[key]

    def delete(self, key, **_options):
        self.values.pop(key, None)


def listen():
    return eventlet.listen(('127.0.0.1', 0))


def serve(socket, app):
    eventlet.spawn(wsgi.server, socket, app, Silent(), debug=False)


write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = suffix\nswift_hash_path_prefix = prefix\n')
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')
utils.HASH_PATH_SUFFIX, utils.HASH_PATH_PREFIX = b'suffix', b'prefix'
os.makedirs(os.path.join(folder, 'node', 'disk'))

sockets = {}
for server in ('account', 'container', 'object'):
    sockets[server] = listen()
    builder = RingBuilder(2, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': sockets[server].getsockname()[1],
                     'device': 'disk', 'weight': 1, 'replication_ip': '127.0.0.1',
                     'replication_port': sockets[server].getsockname()[1]})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, server + '.ring.gz'))

for server in sockets:
    kind = 'mem_object' if server == 'object' else server
    path = write(server + '.conf', f'''
[DEFAULT]
swift_dir = {folder}
devices = {folder}/node
mount_check = false
log_level = CRITICAL
[app:main]
use = egg:swift#{kind}
''')
    serve(sockets[server], loadapp('config:' + path))

path = write('proxy.conf', f'''
[DEFAULT]
swift_dir = {folder}
log_level = CRITICAL
[pipeline:main]
pipeline = catch_errors s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret_key} .admin
[filter:slo]
use = egg:swift#slo
''')
store = loadapp('config:' + path)
cache = Cache()


def with_cache(environ, start_response):
    environ['swift.cache'] = cache
    return store(environ, start_response)


front = listen()
serve(front, with_cache)
print(front.getsockname()[1], flush=True)
tpool.execute(sys.stdin.read)
