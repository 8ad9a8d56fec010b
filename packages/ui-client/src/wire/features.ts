/** A registered feature. If `enabled` is true, the deployment offers the feature, but users still need permissions. */
export interface Feature {
  code: string
  displayName: string
  group: string
  enabled: boolean
}
