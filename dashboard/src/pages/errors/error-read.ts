import type { Output } from '@assay/contract'
import type { RouteOf } from '../../api/routes.ts'

export type Read = Output<RouteOf<'getError'>>
