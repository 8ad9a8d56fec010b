import { runMailCommand } from '@vertical-kit/work-center/mail'

process.exitCode = await runMailCommand({ argv: process.argv.slice(2), environment: process.env })
