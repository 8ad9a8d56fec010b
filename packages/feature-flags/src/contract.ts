import * as v from 'valibot'

/** A registered feature and its state in this deployment. A user can lack the permission to use an enabled feature. */
export const Feature = v.pipe(
  v.object({ code: v.string(), displayName: v.string(), group: v.string(), enabled: v.boolean() }),
  v.metadata({ ref: 'Feature' }),
)
export type Feature = v.InferOutput<typeof Feature>

/** The response body of `GET /api/features`. */
export const Features = v.array(Feature)
