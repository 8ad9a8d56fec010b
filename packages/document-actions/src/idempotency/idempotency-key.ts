import { DocumentActionsError } from '../errors.ts'

/** Visible ASCII characters. */
const bareKey = /^[!-~]+$/

/** Maximum length of the key of one execution. */
const maxKeyChars = 200

/** A structured-field string is `"…"`. Inside it, `\"` represents `"`, and `\\` represents `\`. */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/

/**
 * Parses the `Idempotency-Key` header. The structured-field string `"abc"` of the IETF draft and the bare `abc` are the
 * same key.
 *
 * @throws {DocumentActionsError} document_action.idempotency_key_required · idempotency_key_invalid
 * @see RFC 9651 §3.3.3 (strings)
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function readIdempotencyKey(header: string | undefined, maxChars = maxKeyChars): string {
  if (header === undefined || header.trim() === '') {
    throw new DocumentActionsError('document_action.idempotency_key_required')
  }
  const key = parseIdempotencyKey(header, maxChars)
  if (key !== undefined) return key
  throw new DocumentActionsError('document_action.idempotency_key_invalid', {
    detail: `An Idempotency-Key must have 1 to ${maxChars} visible ASCII characters.`,
  })
}

/** Returns the key of an `Idempotency-Key` header, or undefined if the header is missing or invalid. */
export function parseIdempotencyKey(header = '', maxChars = maxKeyChars): string | undefined {
  const text = header.trim()
  const quoted = quotedString.exec(text)?.[1]
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(["\\])/g, '$1')
  return bareKey.test(key) && key.length <= maxChars ? key : undefined
}
