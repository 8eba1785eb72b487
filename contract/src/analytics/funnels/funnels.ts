import { listFunnels, updateFunnel } from './discovered-funnels.ts'
import { queryDropOff } from './drop-off.ts'
import { queryFunnel } from './funnel-query.ts'

export const funnelRoutes = [queryFunnel, queryDropOff, listFunnels, updateFunnel] as const
