import { createHash, createHmac } from 'node:crypto'

type SourceBytes = string | ArrayBuffer | ArrayBufferView

/**
 * Computes SHA-256, or HMAC-SHA-256 if a secret is given, with the interface that AWS's signer requires.
 * It is a class because the signer calls the constructor.
 */
export class Sha256 {
  readonly #hash

  constructor(secret?: SourceBytes) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret))
  }

  update(source: SourceBytes) {
    this.#hash.update(toBytes(source))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

function toBytes(source: SourceBytes): Buffer {
  if (typeof source === 'string') return Buffer.from(source)
  return ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source)
}
