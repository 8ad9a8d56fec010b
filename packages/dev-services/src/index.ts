export type { IdentityUser } from './identity-provider/accounts.ts'
export type { PageClient } from './identity-provider/page-client.ts'
export { createSigningKey, type SigningKey } from './identity-provider/signing-key.ts'
export {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from './identity-provider/start-identity-provider.ts'
export { signTestToken, type TestToken } from './identity-provider/test-token.ts'
export {
  type CallFault,
  type Credentials,
  type Fault,
  type FaultScope,
  type ObjectStore,
  type ObjectStoreFaults,
  type ObjectStoreOptions,
  type Operation,
  type OperationCall,
  type RequestLogEntry,
  startObjectStore,
} from './object-store/object-store.ts'
export { removePostgresData } from './postgres/data-folder.ts'
export { type DatabaseTemplate, type FreshDatabase, freshDatabase } from './postgres/fresh-database.ts'
export type { StopMode } from './postgres/server-process.ts'
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres/start-postgres.ts'
