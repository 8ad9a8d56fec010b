export { drizzleOver, type KitDrizzle } from './drizzle-over.ts'
export { type ApplicationTransaction, kitTx } from './kit-tx.ts'
