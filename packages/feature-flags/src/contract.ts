import * as v from 'valibot'

/** A registered feature and its state in this deployment. `enabled` does not imply that a user may use the feature. */
export const Feature = v.pipe(
  v.object({ code: v.string(), displayName: v.string(), group: v.string(), enabled: v.boolean() }),
  v.metadata({ ref: 'Feature' }),
)
export type Feature = v.InferOutput<typeof Feature>

/** The body of `GET /api/features`. */
export const Features = v.array(Feature)
