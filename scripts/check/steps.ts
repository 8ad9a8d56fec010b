import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/**
 * One step of the gate. `run` answers what is wrong, as text to print; an empty text is a pass. What it says is printed
 * in any case: figures, say.
 */
export interface Step {
  name: string
  title: string
  run: (say: (line: string) => void) => Promise<string>
}

interface Command {
  name: string
  title: string
  command: string
  root: string
}

/**
 * A step that runs a command line in the repository's root and passes when it exits with 0.
 * Its output is held back and shown only when it fails.
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
    // A shell, because on Windows the tools in node_modules/.bin are .cmd files.
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
 * Runs the lanes side by side and the steps of each one after the other: one line each with its duration, then the
 * output of those that failed. A step that throws has failed. Answers the names of the failed steps.
 */
export async function runSteps(
  lanes: readonly (readonly Step[])[],
  print: (line: string) => void,
): Promise<string[]> {
  const failures: { step: Step; output: string }[] = []
  const run = async (step: Step) => {
    const startedAtMs = performance.now()
    const said: string[] = []
    const output = await step.run((line) => said.push(line)).catch((error: unknown) => describe(error))
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
    print(
      `${output === '' ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(10)}  ${seconds.padStart(5)} s  ${step.title}`,
    )
    for (const line of said) print(`${' '.repeat(28)}${line}`)
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
