import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { certificateFor, examineServicesIn, withServer } from '#test/examine-services.ts'
import { startMailServer } from '#test/mail-server.ts'
import { sendTestMail } from '../../accounts/mail/test-mail.ts'
import { explainMailFailure } from './mail-failure.ts'

describe('the mail server check', () => {
  const { path, examineServices } = examineServicesIn()

  const mailCodes = async (smtpUrl: string) => {
    const results = await examineServices({ SMTP_URL: smtpUrl, MAIL_FROM: 'a@mokuroku.example' })
    const [first] = results.find(({ id }) => id === 'mail')?.findings ?? []
    return first && [first.code, first.why].filter(Boolean).join(' ')
  }
  const withMailServer = <Result>(
    options: SMTPServerOptions,
    work: (port: number) => Promise<Result>,
  ) => {
    const smtp = new SMTPServer({ logger: false, authOptional: true, ...options })
    smtp.on('error', () => {})
    return withServer(smtp.server, work)
  }

  it('finds nothing wrong with a working server, and sends no email', async () => {
    const server = await startMailServer()
    assert.equal(await mailCodes(server.url), undefined)
    assert.equal(server.offers(), 0)
    await server.close()
  })

  it('distinguishes unknown hosts, closed ports, silent servers, TLS errors and wrong credentials', async () => {
    assert.equal(await mailCodes('smtp://missing.invalid'), 'mail.unreachable name')
    assert.equal(await mailCodes('smtp://127.0.0.1:1'), 'mail.unreachable refused')
    await withServer(
      createServer((socket) => void socket.on('error', () => {})),
      async (port) =>
        assert.equal(await mailCodes(`smtp://127.0.0.1:${port}`), 'mail.unreachable silent'),
    )
    const server = await startMailServer()
    assert.equal(await mailCodes(server.url.replace('smtp:', 'smtps:')), 'mail.tls')
    await server.close()
    await withMailServer({ secure: true, ...certificateFor(30, path) }, async (port) =>
      assert.equal(await mailCodes(`smtps://127.0.0.1:${port}`), 'mail.tls'),
    )
    await withMailServer(
      {
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: (_auth, _session, done) => done(new Error('Wrong password')),
      },
      async (port) => assert.equal(await mailCodes(`smtp://u:p@127.0.0.1:${port}`), 'mail.login'),
    )
  })

  it('explains why a test email was rejected', async () => {
    const refuse = (code: number) => Object.assign(new Error('No'), { responseCode: code })
    const options = { disabledCommands: ['STARTTLS'] }
    for (const [more, code] of [
      [{ onMailFrom: (_a, _s, done) => done(refuse(550)) }, 'mail.sender'],
      [{ onRcptTo: (_a, _s, done) => done(refuse(550)) }, 'mail.recipient'],
      [
        {
          onData: (stream, _s, done) => {
            stream.resume().on('end', () => done(refuse(554)))
          },
        },
        'mail.rejected',
      ],
    ] as [SMTPServerOptions, string][])
      await withMailServer({ ...options, ...more }, async (port) => {
        const smtpUrl = `smtp://127.0.0.1:${port}`
        const error: unknown = await sendTestMail('b@b.example', {
          smtpUrl,
          mailFrom: 'a@a.example',
        }).catch((caught: unknown) => caught)
        assert.equal(explainMailFailure(error).code, code)
      })
  })
})
