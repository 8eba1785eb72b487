import { acknowledgeAnomaly, listAnomalies, muteAnomaly } from './anomalies.ts'
import { getConversionMismatch } from './conversion-mismatch.ts'
import { getCoverage } from './coverage.ts'
import { checkDuplicate } from './duplicate-check.ts'
import { getEventHealth, listEventHealth } from './event-health.ts'
import { getHealthSettings, setHealthSettings } from './health-settings.ts'

export const healthRoutes = [
  listEventHealth,
  getEventHealth,
  listAnomalies,
  acknowledgeAnomaly,
  muteAnomaly,
  getHealthSettings,
  setHealthSettings,
  getCoverage,
  getConversionMismatch,
  checkDuplicate,
] as const
