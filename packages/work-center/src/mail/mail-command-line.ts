import { codePointCount } from '@vertical-kit/core-audit/contract'
import { configurationExitCode, parseCommandLine } from '@vertical-kit/core-audit/host'

/** A parsed command of the operator. `id` is `null` for all dead letters. */
export type MailCommand =
  | { readonly name: 'list'; readonly isWhole: boolean }
  | { readonly name: 'retry'; readonly id: string | null }
  | { readonly name: 'discard'; readonly id: string | null; readonly reason: string }

/** The maximum number of dead letters that `list` shows without `--all`. */
export const listLimit = 50
const reasonMaxChars = 1_000

export const mailHelp = `Usage: mail <command>

  list                      list the newest ${listLimit} dead letters, without addresses and content
  list --all                list all of them
  retry <mail id>           send a dead letter again, with all attempts available
  retry --all               send all of them again
  discard <mail id>         give up a dead letter
  discard --all             give up all of them
    --reason "<why>"        required; the audit log keeps it with your account name

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set. A mail is checked again before it is sent: it is skipped
if its recipient has dealt with the items by then.
Exit status: 0 done · 1 failed; nothing changed, unless the connection or the output was lost · 2 wrong usage · ${configurationExitCode} a key is missing or invalid`

/** Parses the command line. Returns a text that describes the problem if the command line is invalid. */
export function parseMailCommand(argv: readonly string[]): MailCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, isWhole, reason } = parsed
  if (name === undefined) return 'A command is required.'
  if (name !== 'list' && name !== 'retry' && name !== 'discard') return `Unknown command "${name}".`
  if (reason !== undefined && name !== 'discard') return '--reason belongs to discard.'
  if (name === 'list') return rest.length === 0 ? { name, isWhole } : 'list accepts only --all.'
  if (rest.length + (isWhole ? 1 : 0) !== 1) return `${name} requires the id of one mail, or --all.`
  const id = rest[0] ?? null
  if (name === 'retry') return { name, id }
  const words = (reason ?? '').trim()
  if (words === '') return '--reason "…" is required. The audit log keeps it.'
  if (codePointCount(words) > reasonMaxChars) return `--reason: at most ${reasonMaxChars} characters`
  return { name, id, reason: words }
}

function parse(argv: readonly string[]) {
  try {
    const { values, positionals } = parseCommandLine({
      args: [...argv],
      allowPositionals: true,
      options: { all: { type: 'boolean' }, reason: { type: 'string' } },
    })
    const [name, ...rest] = positionals
    return { name, rest, isWhole: values.all ?? false, reason: values.reason }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
