/** A registered feature and whether this deployment has it on. Enabled means available, not that a user may use it. */
export interface Feature {
  code: string
  displayName: string
  group: string
  enabled: boolean
}
