export {
  type DoctorCheck,
  type DoctorContext,
  type Finding,
  type FindingStatus,
  failed,
  ok,
  skipped,
  warning,
} from './check.ts'
export { type HttpClock, httpClockFinding } from './clock-finding.ts'
export {
  type DoctorCommandOptions,
  type DoctorSubject,
  doctorExitCodes,
  runDoctorCommand,
} from './doctor-cli.ts'
export { failureCode, isCertificateFailure } from './failure-code.ts'
