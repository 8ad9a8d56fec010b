import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'

/** Runs the command as the operator olga, and returns its output and exit code. */
export async function runCommand(databaseUrl: string | undefined, argv: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const exitCode = await runOutboxCommand({
    argv,
    environment: { DATABASE_URL: databaseUrl },
    operator: 'olga',
    write: (line) => void out.push(line),
    writeError: (line) => void err.push(line),
  })
  return { exitCode, out, err }
}
