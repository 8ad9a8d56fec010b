import * as v from 'valibot'

/** The path of the hub. Clients connect to it, and negotiate at `/negotiate` below it. */
export const workCenterHubPath = '/hubs/work-center'

/**
 * The method that the hub invokes on its clients, with the version (a number) as its only argument. It carries no content:
 * clients fetch the changes over HTTP.
 */
export const workCenterChangedTarget = 'workCenterChanged'

/** The response to `POST …/negotiate`. Any replica accepts the connection; the connection token grants nothing. */
export const Negotiation = v.object({
  negotiateVersion: v.literal(1),
  connectionId: v.string(),
  connectionToken: v.string(),
  availableTransports: v.array(
    v.object({ transport: v.literal('WebSockets'), transferFormats: v.array(v.literal('Text')) }),
  ),
})
export type Negotiation = Readonly<v.InferOutput<typeof Negotiation>>

/** A client's first record. */
export const HandshakeRequest = v.object({ protocol: v.string(), version: v.number() })

/** The id is returned in the response, so its length is limited. */
const InvocationId = v.nullish(v.pipe(v.string(), v.maxLength(128)))

/** The fields that the hub reads from a client's later records. */
export const ClientMessage = v.object({ type: v.number(), invocationId: InvocationId })
export type ClientMessage = Readonly<v.InferOutput<typeof ClientMessage>>

/** Versions by user id, as replicas send them to each other. */
export const Announcement = v.record(
  v.pipe(v.string(), v.uuid()),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
)
