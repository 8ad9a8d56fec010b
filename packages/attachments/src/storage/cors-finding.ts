import { type DoctorContext, type Finding, failed, ok, warning } from '@vertical-kit/core-audit/doctor'
import type { StorageConfig } from '../config.ts'
import { checksumHeader } from './s3-storage.ts'
import { doctorKeys } from './store-under-test.ts'

/** Sends the preflights of an upload and of a download for each origin, like a browser. */
export async function corsFinding(
  { publicEndpoint, bucket }: StorageConfig,
  { origins, signal }: DoctorContext,
): Promise<Finding> {
  if (origins.length === 0) {
    return warning(
      'The origins of the pages are unknown, so uploads of browsers are not checked.',
      'Repeat with --origin https://app.example.com, or set WorkCenter__AllowedOrigins.',
    )
  }
  const url = `${publicEndpoint}/${bucket}/${doctorKeys.staged}`
  const send = (asked: Pick<Preflight, 'method' | 'headers'>) =>
    Promise.all(origins.map((origin) => preflight(url, { origin, signal, ...asked })))
  const [answers, hashed, downloads] = await Promise.all([
    send({ method: 'PUT', headers: ['content-type'] }),
    send({ method: 'PUT', headers: ['content-type', checksumHeader] }),
    send({ method: 'GET', headers: [] }),
  ])
  const refused = origins.filter((_, index) => !answers[index]?.isAllowed)
  if (refused.length > 0) {
    return failed(
      `The bucket does not allow uploads from ${refused.join(', ')}.`,
      'Add a CORS rule with the origin, the method PUT and the header Content-Type to the bucket of ' +
        'Attachments__Storage__Bucket.',
    )
  }
  if (answers.some(({ isOpen }) => isOpen)) {
    return warning(
      'The bucket allows uploads from every origin.',
      'List the exact origins of the pages in the CORS rule of Attachments__Storage__Bucket.',
    )
  }
  const unhashed = origins.filter((_, index) => !hashed[index]?.isAllowed)
  if (unhashed.length > 0) {
    return warning(
      `The bucket does not allow uploads with a hash (\`sha256\`) from ${unhashed.join(', ')}.`,
      `Add the header ${checksumHeader} to the CORS rule of Attachments__Storage__Bucket.`,
    )
  }
  const unread = origins.filter((_, index) => !downloads[index]?.isAllowed)
  if (unread.length > 0) {
    return warning(
      `The bucket does not allow pages of ${unread.join(', ')} to read files, so users cannot download several files at once.`,
      'Add the method GET to the CORS rule of Attachments__Storage__Bucket.',
    )
  }
  return ok(`Pages of ${origins.join(', ')} can upload and read files.`)
}

interface Preflight {
  readonly origin: string
  readonly method: 'PUT' | 'GET'
  readonly headers: readonly string[]
  readonly signal: AbortSignal
}

async function preflight(url: string, { origin, method, headers, signal }: Preflight) {
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      ...(headers.length > 0 && { 'Access-Control-Request-Headers': headers.join(',') }),
    },
    signal,
  })
  await response.body?.cancel()
  const allows = (name: string, value: string): boolean => {
    const list = (response.headers.get(`access-control-allow-${name}`) ?? '').toLowerCase().split(',')
    return list.some((entry) => [value.toLowerCase(), '*'].includes(entry.trim()))
  }
  const isAllowed =
    response.ok &&
    allows('origin', origin) &&
    allows('methods', method) &&
    headers.every((header) => allows('headers', header))
  return { isAllowed, isOpen: response.headers.get('access-control-allow-origin') === '*' }
}
