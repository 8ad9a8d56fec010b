export { type MailConfig, type MailSecurity, mailDefaults, readMailConfig } from './config.ts'
export { createMail, type MailOptions } from './mail.ts'
export { type MailCommandOptions, mailExitCodes, runMailCommand } from './mail-cli.ts'
export {
  defaultMailTemplate,
  type MailContent,
  type MailItem,
  type MailTemplate,
  type MailText,
} from './template.ts'
