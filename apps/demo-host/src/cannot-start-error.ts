/** Why a demo cannot start, in words for the person who started it. */
export class CannotStartError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'CannotStartError'
  }
}
