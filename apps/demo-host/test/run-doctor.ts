import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../src/doctor.ts', import.meta.url))

export interface DoctorInput {
  readonly environment: Readonly<Record<string, string>>
  /** The text of standard input. */
  readonly input?: string
}

/** Runs `pnpm run doctor` with only the given environment. */
export function runDoctor(argv: readonly string[], { environment, input = '' }: DoctorInput) {
  const options = { env: { PATH: process.env['PATH'], ...environment } }
  const command = ['--conditions=@vertical-kit/source', script, ...argv]
  return new Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode ?? -1, stdout, stderr }),
      )
      child.stdin?.end(input)
    },
  )
}
