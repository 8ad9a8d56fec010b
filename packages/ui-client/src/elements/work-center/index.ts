export { WorkCenterBadge } from './badge.ts'
export { defineWorkCenterElements } from './define-elements.ts'
export { type ShownView, WorkCenter } from './work-center.ts'
export { YourTasks } from './your-tasks.ts'
