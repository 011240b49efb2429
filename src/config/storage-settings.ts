import { resolve } from 'node:path'
import type { Setting } from './setting.ts'
import {
  bucketContents,
  bucketPrefix,
  bucketUrl,
  databaseUrl,
  flag,
  integer,
  interval,
  line,
  urls,
} from './setting-readers.ts'

/** Settings of the database, the folders, backups and the bucket. */
export const STORAGE_SETTINGS = {
  DATABASE_URL: {
    read: databaseUrl,
    default: undefined,
    about:
      'URL of a PostgreSQL server, version 15 or newer: `postgres://user:password@host/database`. With several hosts (`a:5432,b:5432`), the one that accepts writes is used. If unset, one process uses the embedded database in `DATA_DIR`.',
    secret: 'password',
  },
  DATABASE_DIRECT_URL: {
    read: databaseUrl,
    default: undefined,
    about:
      'URL of the same database without the connection pooler in `DATABASE_URL`, for notifications of changes. If unset, processes behind a pooler that mixes sessions learn of changes by polling only.',
    secret: 'password',
  },
  DATABASE_REPLICA_URLS: {
    read: urls('postgres://user:password@host/database', 'postgres', 'postgresql'),
    default: undefined,
    about:
      'URLs of streaming replicas of `DATABASE_URL`, separated by commas. A replica answers reads of the catalog once it has replayed everything that the primary has written. The primary answers all other reads.',
    secret: 'password',
  },
  DATABASE_POOL_SIZE: {
    read: integer(1, 100),
    default: '8',
    about:
      'Maximum database connections of each process or worker, to the primary and to each replica. Small pools are faster on few cores.',
  },
  DATABASE_PREPARED_STATEMENTS: {
    read: flag,
    default: 'true',
    about:
      'Set to `false` behind a connection pooler that mixes sessions and does not track prepared statements, such as PgBouncer before 1.21.',
  },
  DATA_DIR: {
    read: (value: string) => resolve(value),
    default: './data',
    about:
      'Folder of the embedded database, `demo.json`, downloaded dumps and pictures, and mail without an `SMTP_URL`.',
  },
  BACKUP_DIR: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Folder of scheduled backups. Defaults to `DATA_DIR/backups` with the embedded database; with a server, backups are scheduled only if it or `BUCKET_URL` is set.',
  },
  BACKUP_EVERY: {
    read: interval,
    default: '24h',
    about:
      'Time between scheduled backups: hours, minutes (`90m`) or days (`7d`). `off` also disables the backup of the embedded database before migrations.',
  },
  BACKUP_KEEP: {
    read: integer(1, 10_000),
    default: '7',
    about:
      'Number of backups to keep in `BACKUP_DIR`. The oldest are deleted once a new one has been verified.',
  },
  BUCKET_URL: {
    read: bucketUrl,
    default: undefined,
    about:
      'URL of a bucket with the S3 API, which several machines can share: `https://s3.example.org/bucket` or `https://bucket.s3.example.org`. If unset, folders are used.',
  },
  BUCKET_CONTENTS: {
    read: bucketContents,
    default: 'pictures,backups',
    about:
      "What the bucket stores, separated by commas: `pictures` (the sources' pictures, also cached in `DATA_DIR/images`), `backups` (scheduled backups, instead of `BACKUP_DIR`) and `uploads` (users' pictures and app logos, instead of the database).",
  },
  BUCKET_PREFIX: {
    read: bucketPrefix,
    default: undefined,
    about: 'Prefix of all object names, such as `mokuroku`, if other programs use the bucket.',
  },
  BUCKET_REGION: {
    read: line(64),
    default: 'us-east-1',
    about: 'Region of the bucket, as its provider names it. Many servers accept any.',
  },
  BUCKET_ACCESS_KEY: {
    read: line(256),
    default: undefined,
    about:
      'Access key ID for the bucket. It needs permission to list the bucket, and to read, write and delete objects.',
  },
  BUCKET_SECRET_KEY: {
    read: line(1_024),
    default: undefined,
    about: 'Secret of the access key.',
    secret: 'whole',
  },
} satisfies Record<string, Setting<unknown>>
