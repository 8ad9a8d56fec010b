import { runAuditCommand } from '@vertical-kit/core-audit/audit'

/** Runs the command as the operator olga, and returns its output and exit code. */
export async function runAudit(
  databaseUrl: string | undefined,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const [out, err]: [string[], string[]] = [[], []]
  const exitCode = await runAuditCommand({
    argv,
    environment: { DATABASE_URL: databaseUrl, ...environment },
    operator: 'olga',
    write: (line) => void out.push(line),
    writeError: (line) => void err.push(line),
  })
  return { exitCode, out, err }
}
