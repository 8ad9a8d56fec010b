/** A registered feature. `enabled`: the deployment offers it; users still need permissions. */
export interface Feature {
  code: string
  displayName: string
  group: string
  enabled: boolean
}
