import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { mailServerCheck } from '../../src/mail/server-check.ts'
import { startMailServer } from './mail-server.ts'
import { mailConfig } from './mailer.ts'

const context = { origins: [], token: undefined, replicaCount: 1, now: () => 0 }
const check = (config: ReturnType<typeof mailConfig>, signal = new AbortController().signal) =>
  mailServerCheck(config).run({ ...context, signal })
const credentials = { username: 'app', password: async () => 'canary' }

/** A server that accepts only the password of `credentials`. The client may send it without encryption. */
const signInServer = (isAccepted: boolean) =>
  startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) =>
      isAccepted ? callback(null, { user: 'app' }) : callback(new Error('canary')),
  })

test('the doctor finds a mail server that accepts the connection and the sign-in, and sends no mail', async () => {
  const open = await startMailServer()
  expect(await check(mailConfig(open.port))).toEqual({
    ...{ status: 'ok', message: 'The mail server accepts the connection.' },
  })
  const { port } = await signInServer(true)
  expect(await check(mailConfig(port, { credentials }))).toMatchObject({
    ...{ status: 'ok', message: 'The mail server accepts the connection and the sign-in.' },
  })
  expect(open.received).toEqual([])
})

test('the doctor names the keys of a refused sign-in, a closed port and missing encryption', async () => {
  const { port } = await signInServer(false)
  const findings = [
    await check(mailConfig(port, { credentials })),
    // Port 9 of this machine refuses connections.
    await check(mailConfig(9)),
    await check(mailConfig(port, { security: 'StartTls' })),
  ]
  expect(findings).toMatchObject([
    { status: 'failed', change: expect.stringContaining('Mail__Password') },
    { status: 'failed', change: expect.stringContaining('Mail__Port') },
    { status: 'failed', change: expect.stringContaining('Mail__Security') },
  ])
  expect(JSON.stringify(findings)).not.toContain('canary')
})

test('the check of a silent mail server ends with its signal', async () => {
  const connected = Promise.withResolvers<void>()
  const silent = createServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    connected.resolve()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const controller = new AbortController()
  const checking = check(mailConfig(port), controller.signal)
  await connected.promise
  controller.abort()
  expect(await checking).toMatchObject({ status: 'failed' })
})
