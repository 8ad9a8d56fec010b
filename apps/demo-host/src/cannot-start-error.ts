export { CannotStartError } from '@vertical-kit/core-audit/host'
