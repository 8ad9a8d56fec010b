import { configurationExitCode } from '../host/environment.ts'
import { parseCommandLine } from '../host/parse-command-line.ts'

/** The parsed arguments of the command. */
export interface DoctorOptions {
  readonly isJson: boolean
  readonly isMigrator: boolean
  readonly tokenFile: string | undefined
  readonly origins: readonly string[]
  readonly replicaCount: number
}

export const doctorHelp = `Usage: doctor [options]

Checks the database, the object store, the identity provider and the clocks with the configuration of the host.
Prints one line for each check: ok, warning, failed or skipped, what is wrong, and what to change.

  --token-file PATH  examine an access token: signature, audience, claims, and where its roles are; "-" reads
                     standard input
  --origin ORIGIN    the origin of pages that upload files (https://app.example.com); can be repeated
  --replicas N       the number of replicas that share the database; default 1
  --migrator         check the role as the migrator's instead of the host's
  --json             print one JSON document
  --help             print this help

Exit status: 0 nothing failed · 1 a check failed · 2 wrong usage · ${configurationExitCode} the configuration is invalid`

const maxReplicas = 1_000

/** Parses the arguments. Returns `help`, or a sentence that names the wrong argument. */
export function parseDoctorOptions(argv: readonly string[]): DoctorOptions | string {
  try {
    const { values } = parseCommandLine({
      // `pnpm run doctor -- --json` also passes the separator.
      args: argv.filter((argument) => argument !== '--'),
      options: {
        'token-file': { type: 'string' },
        origin: { type: 'string', multiple: true, default: [] },
        replicas: { type: 'string', default: '1' },
        migrator: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return 'help'
    const origins = values.origin
    if (!origins.every((text) => URL.canParse(text) && new URL(text).origin === text)) {
      return '--origin: expected https://host[:port]'
    }
    const replicaCount = /^\d{1,4}$/.test(values.replicas) ? Number(values.replicas) : 0
    if (replicaCount < 1 || replicaCount > maxReplicas) {
      return `--replicas: expected a number from 1 to ${maxReplicas}`
    }
    const tokenFile = values['token-file']
    return { isJson: values.json, isMigrator: values.migrator, tokenFile, origins, replicaCount }
  } catch (error) {
    return error instanceof TypeError ? error.message : 'The arguments are wrong.'
  }
}
