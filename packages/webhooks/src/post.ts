import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { WebhooksConfig } from './config.ts'
import { WebhooksError } from './errors.ts'
import { isPublicAddress } from './public-address.ts'
import { resolveHost } from './resolve-host.ts'

/** Which endpoints a deployment accepts. */
export type EndpointRules = Pick<WebhooksConfig, 'allowPrivateAddresses' | 'allowInsecureHttp'>

/** A request to an endpoint. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Parses the URL of an endpoint. Checks the address if the URL contains it; otherwise each request resolves and checks the name.
 * @throws {WebhooksError} webhooks.url_invalid · webhooks.address_refused
 */
export function endpointUrl(text: string, { allowInsecureHttp, allowPrivateAddresses }: EndpointRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSecure = url?.protocol === 'https:' || (allowInsecureHttp && url?.protocol === 'http:')
  if (url === undefined || !isSecure || url.username !== '' || url.password !== '') {
    throw new WebhooksError('webhooks.url_invalid')
  }
  const hostname = hostnameOf(url)
  const isPrivate = isIP(hostname) === 0 ? isLocalName(hostname) : !isPublicAddress(hostname)
  if (isPrivate && !allowPrivateAddresses) throw new WebhooksError('webhooks.address_refused')
  return url
}

/** @see RFC 6761 §6.3: these names always belong to the own machine. */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/.test(hostname)

/**
 * Sends a request, and resolves when the endpoint has answered with a status from 200 to 299. Never follows a redirect, and
 * reads nothing of the body of the answer.
 *
 * Resolves the host name once, checks all of its addresses, and connects only to these: a second resolution could return
 * another address. `resolver` belongs to this request, which cancels its queries when the signal is aborted.
 *
 * @throws {WebhooksError} webhooks.url_invalid · webhooks.address_refused · webhooks.response_refused
 */
export async function postWebhook(
  rules: EndpointRules,
  { url: text, headers, body }: WebhookRequest,
  signal: AbortSignal,
  resolver = new Resolver(),
): Promise<void> {
  const url = endpointUrl(text, rules)
  const addresses = await checkedAddresses(hostnameOf(url), rules, (name) =>
    // Private names are often those of `/etc/hosts` and of search domains, which only the system knows.
    rules.allowPrivateAddresses ? lookup(name, { all: true }) : resolveHost(name, resolver, signal),
  )
  // The lookup of the system cannot be aborted, so the signal can be aborted by now.
  signal.throwIfAborted()
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const request = send({
    ...{
      host: hostnameOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      signal,
    },
    // Never asks the resolver. Node connects to an IP address in the URL without it, and that one was checked too.
    lookup: (_hostname, { all }, callback) =>
      all === true
        ? callback(null, [...addresses])
        : callback(null, addresses[0].address, addresses[0].family),
    // A connection that is reused could belong to another address.
    agent: false,
    maxHeaderSize: 16 * 1024,
    headers: {
      ...headers,
      Host: url.host,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'vertical-kit-webhooks',
    },
  })
  const status = await statusOf(request, body)
  if (status < 200 || status > 299)
    throw new WebhooksError('webhooks.response_refused', { context: { status } })
}

/** Resolves with the status of the answer, and closes the connection. */
function statusOf(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    // Without this listener, Node ends a request to an endpoint that switches protocols without any event.
    request.once('upgrade', ({ statusCode = 0 }, socket) => {
      resolve(statusCode)
      socket.destroy()
    })
    // After the answer, the closed connection can cause a further error, which the settled promise ignores.
    request.on('error', reject)
    request.end(body)
  })
}

/** `new URL` keeps the brackets of an IPv6 address, and has already normalized forms such as `127.1` and `0x7f000001`. */
const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** @throws {WebhooksError} webhooks.address_refused */
async function checkedAddresses(
  hostname: string,
  { allowPrivateAddresses }: EndpointRules,
  resolve: (name: string) => Promise<readonly LookupAddress[]>,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const family = isIP(hostname)
  const [first, ...others] = family === 0 ? await resolve(hostname) : [{ address: hostname, family }]
  const isAllowed =
    allowPrivateAddresses || [first, ...others].every((one) => isPublicAddress(one?.address ?? ''))
  if (first === undefined || !isAllowed) throw new WebhooksError('webhooks.address_refused')
  return [first, ...others]
}
