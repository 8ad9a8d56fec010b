// A process that sends mails once: `node --conditions=@vertical-kit/source mail-process.ts <database url> <port>`.

import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createMail } from '../../src/mail/mail.ts'
import { administratorRoleCodes } from '../desk.ts'
import { definitions, mailConfig } from './mailer.ts'

const [url = '', port = ''] = process.argv.slice(2)
const database = createDatabase({ ...databaseDefaults, url, poolMax: 1 })
const { workers = [] } = createMail({
  ...{
    database,
    workCenter: { definitions },
    config: mailConfig(Number(port)),
    identity: { administratorRoleCodes },
  },
})
await workers[0]?.runOnce(new AbortController().signal)
