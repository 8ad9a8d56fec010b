import type { Database } from '@vertical-kit/core-audit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMailCommand } from '../../src/mail/mail-cli.ts'
import { type Desk, openDesk } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser } from '../people.ts'
import { startMailServer } from './mail-server.ts'
import { mailConfig, mailsOf, makeMailer, settled, writerOf } from './mailer.ts'

let desk: Desk
let database: Database
let clerk: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  clerk = await addUser(database, 'clerk', ['trade.clerk'])
})
afterAll(() => desk.close())

async function run(...argv: readonly string[]) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const environment = { DATABASE_URL: desk.url }
  return {
    code: await runMailCommand({ argv, environment, write, writeError: write }),
    text: lines.join('\n'),
  }
}

test('an operator lists dead letters without their content, and sends one or all of them again', async () => {
  expect(await run('list')).toEqual({ code: 0, text: 'There are no dead letters.' })
  await writerOf(database)(async (inbox) => {
    for (const deduplicationKey of ['one', 'two']) {
      inbox.createNotification(settled, {
        ...{ title: 'Canary', deduplicationKey, source: sourceOf(), to: { userIds: [clerk] } },
      })
    }
  })
  // Port 9 of this machine refuses connections.
  await makeMailer(database, mailConfig(9, { maxAttempts: 1 })).run()
  const { text } = await run('list')
  const [first] = await mailsOf(database)
  expect(text.split('\n')).toHaveLength(2)
  expect(text).toContain(`${first?.id}  for user ${clerk}  1 item(s)  since `)
  for (const secret of ['Canary', 'clerk@example.com']) expect(text).not.toContain(secret)

  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  expect(await run('retry', first?.id ?? '')).toEqual({ code: 0, text: '1 mail(s) will be sent again.' })
  await mailer.run()
  expect(server.received).toHaveLength(1)
  expect(await run('retry', '--all')).toEqual({ code: 0, text: '1 mail(s) will be sent again.' })
  await mailer.run()
  expect(server.received).toHaveLength(2)
  expect((await run('retry', '--all')).code).toBe(1)
  expect(await run('retry', 'unknown')).toEqual({ code: 1, text: 'The dead letter does not exist.' })
})

test.each([[[]], [['list', 'x']], [['retry']], [['retry', 'a', 'b']], [['drop']]])(
  '%o is a wrong usage',
  async (argv) =>
    expect(await run(...argv)).toMatchObject({ code: 2, text: expect.stringContaining('Usage: mail') }),
)
