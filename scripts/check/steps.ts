import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/**
 * One step of the gate. `run` returns its findings as text; an empty text means success. It calls `print` for lines that
 * are always shown, such as measurements.
 */
export interface Step {
  name: string
  title: string
  run: (print: (line: string) => void) => Promise<string>
}

interface Command {
  name: string
  title: string
  command: string
  root: string
}

/**
 * Creates a step that runs a command line in the repository root. The step succeeds if the exit code is 0.
 * Prints the output of the command only if the command fails.
 */
export function commandStep({ name, title, command, root }: Command): Step {
  return { name, title, run: () => runCommand(command, root) }
}

function runCommand(command: string, root: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [join(root, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
  }
  return new Promise((resolve, reject) => {
    // Use a shell, because the tools in node_modules/.bin are .cmd files on Windows.
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve(
        code === 0 ? '' : `${output.trimEnd()}\n\`${command}\` ended with ${signal ?? `exit code ${code}`}`,
      )
    })
  })
}

/**
 * Runs the lanes in parallel, and the steps of each lane one after another. Prints one line per step with its duration,
 * then the output of failed steps. A step also fails if it throws. Returns the names of the failed steps.
 */
export async function runSteps(
  lanes: readonly (readonly Step[])[],
  print: (line: string) => void,
): Promise<string[]> {
  const failures: { step: Step; output: string }[] = []
  const run = async (step: Step) => {
    const startedAtMs = performance.now()
    const lines: string[] = []
    const output = await step.run((line) => lines.push(line)).catch((error: unknown) => describe(error))
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
    print(
      `${output === '' ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(10)}  ${seconds.padStart(5)} s  ${step.title}`,
    )
    for (const line of lines) print(`${' '.repeat(28)}${line}`)
    if (output !== '') failures.push({ step, output })
  }
  await Promise.all(
    lanes.map(async (steps) => {
      for (const step of steps) await run(step)
    }),
  )
  const steps = lanes.flat()
  for (const { step, output } of failures) print(`\n--- ${step.name}: ${step.title}\n${output}`)
  const passedCount = steps.length - failures.length
  print(`\n${passedCount} of ${steps.length} steps passed`)
  return failures.map(({ step }) => step.name)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
