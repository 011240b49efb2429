import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { findOpenFilesLimit, warnFewConnections, warnFewOpenFiles } from './warn-few-connections.ts'
import { warnUnprotected } from './warn-unprotected.ts'

/** The first words of each warning. */
function warnings(environment: NodeJS.ProcessEnv, hasDemo = false): string[] {
  const lines: string[] = []
  const log = { warn: (line: unknown) => void lines.push(String(line)) }
  warnUnprotected(readConfig(environment), hasDemo, log)
  return lines.map((line) => line.split(/[ :]/, 2).join(' '))
}

describe('a service that others can reach', () => {
  const SAFE = {
    HOST: '0.0.0.0',
    AUTH_URL: 'https://id.example.org',
    SECRET_KEY: 'a key that is at least thirty-two characters long',
    SMTP_URL: 'smtp://mail.example.org',
  }

  it('has nothing to say when it has what it needs', () => {
    assert.deepEqual(warnings(SAFE), [])
  })

  it('says in one line each what it does without', () => {
    assert.deepEqual(warnings({ HOST: '::' }, true), [
      'SECRET_KEY is',
      'SMTP_URL is',
      'AUTH_URL is',
      'There is',
    ])
    assert.deepEqual(warnings({ ...SAFE, AUTH_URL: 'http://id.example.org' }), ['AUTH_URL is'])
    assert.deepEqual(warnings({ ...SAFE, HOST: '', SECRET_KEY: '' }), ['SECRET_KEY is'])
  })

  it('is not one that listens to its own machine alone', () => {
    for (const HOST of ['', '127.0.0.1', '::1', 'localhost'])
      assert.deepEqual(warnings({ HOST }, true), [])
  })
})

describe('a service that takes many connections', () => {
  it('says that a process may have fewer open files', () => {
    const lines: unknown[] = []
    const log = { warn: (line: unknown) => void lines.push(line) }
    const config = readConfig({ MAX_CONNECTIONS: '5000' })
    for (const openFiles of [5000, Infinity]) warnFewOpenFiles(config, openFiles, log)
    assert.deepEqual(lines, [])
    warnFewOpenFiles(config, 4999, log)
    assert.deepEqual(lines, [
      'MAX_CONNECTIONS is 5000, and a process may have 4999 open files: lower it, or raise ulimit -n',
    ])
  })

  it('knows the limit of its process', () => {
    const told = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
    assert.equal(findOpenFilesLimit(), told === 'unlimited' ? Infinity : Number(told))
  })
})

describe('a service of several processes', () => {
  const warningsFor = (environment: NodeJS.ProcessEnv, allowed: number) => {
    const lines: unknown[] = []
    const log = { warn: (line: unknown) => void lines.push(line), info: () => {} }
    warnFewConnections(readConfig(environment), allowed, log)
    return lines
  }
  const SERVER = { DATABASE_URL: 'postgres://localhost/mokuroku', DATABASE_POOL_SIZE: '8' }

  it('says that it may want more connections than the server takes', () => {
    assert.deepEqual(warningsFor({ ...SERVER, WORKERS: '4' }, 36), [])
    assert.deepEqual(warningsFor({ ...SERVER, WORKERS: '4' }, 35), [
      'WORKERS and DATABASE_POOL_SIZE may take 36 connections, and the server of DATABASE_URL has 35 for everybody: ' +
        'lower one of them, or raise max_connections',
    ])
    assert.deepEqual(warningsFor({}, 1), [])
  })
})
