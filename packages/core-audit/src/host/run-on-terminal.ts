/** Where a command writes its lines. */
export interface Terminal {
  /** Writes a line to standard output. */
  readonly write: (line: string) => void
  /** Writes a line to standard error. */
  readonly writeError: (line: string) => void
  /** Resolves when standard output has accepted all lines. @throws {OutputError} if it has not */
  readonly flush: () => Promise<void>
}

/** Thrown if standard output cannot be written, for example because its disk is full. */
export class OutputError extends Error {
  /** The code of the failure, such as `ENOSPC`. The failure is no cause: a transaction could take it for one of its connection. */
  readonly code: string
  constructor({ code, name }: NodeJS.ErrnoException) {
    super(`Standard output cannot be written (${code ?? name}).`)
    this.name = 'OutputError'
    this.code = code ?? name
  }
}

/**
 * Runs a command and resolves with its exit status. `console.log` ignores a full disk, so a command whose lines were lost would
 * end with 0: it ends with `failedCode` instead, and a line on standard error. A reader that has ended, such as `head`, has seen
 * what it wanted, unless the command itself waits for `flush`.
 */
export async function runOnTerminal(
  { write, writeError = console.error }: Partial<Omit<Terminal, 'flush'>>,
  failedCode: number,
  run: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  if (write !== undefined) return run({ write, writeError, flush: async () => {} })
  const output = standardOutput()
  try {
    const code = await run({ ...output, writeError })
    await output.flush().catch((error: OutputError) => {
      if (error.code !== 'EPIPE') throw error
    })
    return code
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    writeError(error.message)
    return failedCode
  } finally {
    output.end()
  }
}

function standardOutput() {
  let failure: NodeJS.ErrnoException | undefined
  const onError = (error: NodeJS.ErrnoException): void => {
    failure ??= error
  }
  process.stdout.on('error', onError)
  return {
    write: console.log,
    /** Rejects once: a command that handles the failure has reported it. */
    async flush() {
      await new Promise((resolve) => process.stdout.write('', resolve))
      if (failure === undefined) return
      const cause = failure
      failure = undefined
      throw new OutputError(cause)
    },
    end: () => process.stdout.off('error', onError),
  }
}
