import { CoreError, type IdentifiedCaller, type IdentifyCaller } from '@vertical-kit/core-audit'
import { RealtimeError } from './errors.ts'
import { isAllowedOrigin, type RequestOrigin } from './origin.ts'

/** What is asked before a client is spoken with. */
export interface AdmissionRequest extends RequestOrigin {
  readonly authorization: string | undefined
  /** Of the `access_token` parameter: a browser cannot give a socket headers. */
  readonly accessToken: string | undefined
}

/**
 * Lets in who comes from an allowed page with a token of an active account; the header counts before the parameter.
 *
 * @throws {CoreError} auth.required · auth.inactive · service.unavailable
 * @throws {RealtimeError} work_center.origin_refused
 */
export type Admit = (request: AdmissionRequest) => Promise<IdentifiedCaller>

export function createAdmit(identify: IdentifyCaller, allowedOrigins: ReadonlySet<string>): Admit {
  return async (request) => {
    if (!isAllowedOrigin(request, allowedOrigins)) throw new RealtimeError('work_center.origin_refused')
    const header = request.authorization
    const token = header === undefined ? request.accessToken : bearerToken(header)
    if (token === undefined || !isToken(token)) throw new CoreError('auth.required')
    return identify(token)
  }
}

const bearerToken = (header: string): string | undefined => /^Bearer +(\S+)$/i.exec(header)?.[1]

/** The form of RFC 6750 §2.1. */
const isToken = (text: string): boolean => /^[\w\-.~+/]+=*$/.test(text)
