import type { Policy } from '@vertical-kit/work-center'
import { orderPolicy } from './policies/order-policy.ts'
import { receivablePolicy } from './policies/receivable-policy.ts'
import { writeOffPolicy } from './policies/write-off-policy.ts'

/** What actions on the vertical's documents mean for people: for `createWorkCenter`. */
export const tradePolicies: readonly Policy[] = [receivablePolicy, writeOffPolicy, orderPolicy]
