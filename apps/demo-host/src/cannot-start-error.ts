/** Thrown when a demo cannot start. The message explains the reason to the user of the terminal. */
export class CannotStartError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'CannotStartError'
  }
}
