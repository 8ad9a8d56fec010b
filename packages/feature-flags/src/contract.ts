import * as v from 'valibot'

/** A registered feature and whether this deployment has it on. Enabled means available, not that a user may use it. */
export const Feature = v.pipe(
  v.object({ code: v.string(), displayName: v.string(), group: v.string(), enabled: v.boolean() }),
  v.metadata({ ref: 'Feature' }),
)
export type Feature = v.InferOutput<typeof Feature>

/** The body of `GET /api/features`. */
export const Features = v.array(Feature)
