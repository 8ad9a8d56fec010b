import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults, type HostDatabaseConfig } from '@vertical-kit/core-audit/database'
import { type Finding, runDoctorCommand } from '@vertical-kit/core-audit/doctor'

export interface DoctorRun {
  readonly url: string
  readonly config?: Partial<HostDatabaseConfig>
  readonly modules?: readonly KitModule[]
  readonly argv?: readonly string[]
  /** The configuration of the pool, if it differs from that of the host. */
  readonly pool?: Partial<HostDatabaseConfig>
  /** The difference of this machine's clock from the real time. */
  readonly skewMs?: number
  readonly input?: string
}

/** Runs the command against a database and the modules' services, and returns its findings by name. */
export async function runDoctor({
  url,
  config,
  pool,
  modules = [],
  argv = [],
  skewMs = 0,
  input = '',
}: DoctorRun) {
  const lines: string[] = []
  const whole = { ...databaseDefaults, url, directUrl: url, ...config }
  const exitCode = await runDoctorCommand({
    argv: ['--json', ...argv],
    open: () => ({ config: whole, database: createDatabase({ ...whole, ...pool }), modules }),
    write: (line) => void lines.push(line),
    writeError: (line) => void lines.push(line),
    now: () => Date.now() + skewMs,
    readInput: async () => input,
  })
  const output = lines.join('\n')
  const { findings } = JSON.parse(output) as { findings: readonly (Finding & { readonly name: string })[] }
  const byName = Object.fromEntries(findings.map(({ name, ...finding }) => [name, finding]))
  return { exitCode, output, findings: byName }
}
