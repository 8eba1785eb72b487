import type { SiteModel } from './model.ts'
import { media } from './models/media.ts'
import { saas } from './models/saas.ts'
import { shop } from './models/shop.ts'

export const siteModels: readonly SiteModel[] = [shop, saas, media]
