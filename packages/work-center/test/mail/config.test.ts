import { readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { readMailConfig } from '../../src/mail/config.ts'

const complete = {
  Mail__Host: 'smtp.example.com',
  Mail__From: 'app@example.com',
  Mail__PublicUrl: 'https://app.example.com',
  Mail__UnsubscribeSecret: 'a secret of at least 32 characters',
}
type Keys = Readonly<Record<string, string>>
const read = (environment: Keys) => readConfiguration(environment, readMailConfig)
const problemsOf = (environment: Keys) => configurationProblems(() => read(environment))

test('a deployment without a mail server sends no mail', () => {
  expect(read({})).toBe(null)
})

test('mail is encrypted by default, and its port follows from the encryption', () => {
  expect(read(complete)).toMatchObject({
    ...{ host: 'smtp.example.com', port: 465, security: 'Tls', credentials: null },
    ...{ from: 'app@example.com', publicUrl: 'https://app.example.com', deadlineMs: 30_000, maxAttempts: 8 },
  })
  expect(read({ ...complete, Mail__Security: 'StartTls' })).toMatchObject({ port: 587 })
  expect(read({ ...complete, Mail__Security: 'None', Mail__Port: '1025' })).toMatchObject({ port: 1025 })
})

test('half a configuration reports all of its problems at once', () => {
  expect(problemsOf({ Mail__Host: 'smtp.example.com', Mail__Username: 'app' })).toEqual([
    'Mail__Password: is required with Mail__Username',
    'Mail__From: is required',
    'Mail__PublicUrl: is required',
    'Mail__UnsubscribeSecret: is required',
  ])
  expect(problemsOf({ Mail__From: 'app@example.com', Mail__Port: '25' })).toEqual([
    'Mail__Port: has no effect without Mail__Host',
    'Mail__From: has no effect without Mail__Host',
  ])
  expect(problemsOf({ Mail__Hots: 'smtp.example.com', MAIL__FROM: 'app@example.com' })).toEqual([
    expect.stringContaining('Mail__Hots: unknown key'),
    expect.stringContaining('MAIL__FROM: unknown key'),
  ])
})

test.each<[Keys, string]>([
  [{ Mail__Security: 'Ssl' }, 'Mail__Security: expected Tls, StartTls, None'],
  [{ Mail__Port: '0' }, 'Mail__Port: expected a whole number from 1 to 65535'],
  [{ Mail__Password: 'canary' }, 'Mail__Username: is required with Mail__Password'],
  [
    { Mail__Security: 'None', Mail__Username: 'app', Mail__Password: 'canary' },
    'Mail__Security: None would send the password without encryption',
  ],
  [{ Mail__From: 'canary' }, 'Mail__From: expected an address like app@example.com'],
  [{ Mail__From: 'a@example.com, b@example.com' }, 'Mail__From: expected an address like app@example.com'],
  [
    { Mail__PublicUrl: 'http://app.example.com' },
    'Mail__PublicUrl: expected https://host[:port] without a path',
  ],
  [
    { Mail__PublicUrl: 'https://app.example.com/x' },
    'Mail__PublicUrl: expected https://host[:port] without a path',
  ],
  ...['http://localhost.example.com', 'ftp://localhost', 'https://canary@app.example.com'].map(
    (url): [Keys, string] => [
      { Mail__PublicUrl: url },
      'Mail__PublicUrl: expected https://host[:port] without a path',
    ],
  ),
  [{ Mail__FromName: 'Trade\r\nBcc: canary@example.com' }, 'Mail__FromName: expected one line'],
  [
    { Mail__UnsubscribeSecret: 'canary'.padEnd(31, '.') },
    'Mail__UnsubscribeSecret: expected at least 32 characters',
  ],
  [{ Mail__UnsubscribeSecret: 'canary' }, 'Mail__UnsubscribeSecret: expected at least 32 characters'],
  [
    { Mail__PreviousUnsubscribeSecret: 'canary' },
    'Mail__PreviousUnsubscribeSecret: expected at least 32 characters',
  ],
  [
    { Mail__Deadline: '00:00:00' },
    'Mail__Deadline: expected a duration [d.]hh:mm:ss from 00:00:01 to 00:05:00',
  ],
  [{ Mail__Hosts: 'x' }, 'Mail__Hosts: unknown key'],
  ...['smtp.example.com:587', 'smtp://smtp.example.com', 'smtp.example.com/', '[::1]', 'a:25', 'a b'].map(
    (host): [Keys, string] => [
      { Mail__Host: host },
      'Mail__Host: expected a host name or an IP address; the port belongs to Mail__Port',
    ],
  ),
])('%o is refused', (keys, problem) => {
  const problems = problemsOf({ ...complete, ...keys })
  expect(problems).toEqual([expect.stringContaining(problem)])
  expect(problems.join()).not.toContain('canary')
})

test.each(['smtp', 'smtp.example.com.', '192.0.2.1', '::1', 'fe80::1%eth0'])(
  'the mail server %s is accepted',
  (host) => {
    expect(problemsOf({ ...complete, Mail__Host: host })).toEqual([])
  },
)

test('a local host may be linked without encryption', () => {
  expect(read({ ...complete, Mail__PublicUrl: 'http://127.0.0.1:8080' })).toMatchObject({
    publicUrl: 'http://127.0.0.1:8080',
  })
})
