/** Thrown when a demo cannot start. The terminal shows its message, which explains the reason. */
export class CannotStartError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'CannotStartError'
  }
}
