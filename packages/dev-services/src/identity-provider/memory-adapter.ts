import type { Adapter, AdapterPayload } from 'oidc-provider'

const keptEntries = 10_000

interface Entry {
  readonly payload: AdapterPayload
  readonly expiresAtMs: number
}

/**
 * Stores one kind of provider state (sessions, codes, grants) in memory and keeps the newest 10,000 entries.
 * We do not use the in-memory adapter of oidc-provider, because it logs a warning about production use at every start.
 */
export function createMemoryAdapter(): Adapter {
  const entries = new Map<string, Entry>()
  const alive = (entry: Entry | undefined) =>
    entry && entry.expiresAtMs > Date.now() ? entry.payload : undefined
  const findBy = async (field: 'uid' | 'userCode', value: string) =>
    alive([...entries.values()].find(({ payload }) => payload[field] === value))

  return {
    async upsert(id, payload, expiresInSeconds) {
      entries.delete(id)
      const lifetimeMs = expiresInSeconds === undefined ? Number.POSITIVE_INFINITY : expiresInSeconds * 1000
      entries.set(id, { payload, expiresAtMs: Date.now() + lifetimeMs })
      const [oldest] = entries.keys()
      if (entries.size > keptEntries && oldest !== undefined) entries.delete(oldest)
    },
    find: async (id) => alive(entries.get(id)),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    async consume(id) {
      const payload = alive(entries.get(id))
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      entries.delete(id)
    },
    async revokeByGrantId(grantId) {
      for (const [id, { payload }] of entries) if (payload.grantId === grantId) entries.delete(id)
    },
  }
}
