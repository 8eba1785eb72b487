import { ecommerce } from './ecommerce.ts'
import { fintech } from './fintech.ts'
import { marketplace } from './marketplace.ts'
import { media } from './media.ts'
import { mobileApp } from './mobile-app.ts'
import type { Pack } from './pack.ts'
import { saas } from './saas.ts'

/** No key stands in two packs, so that a business which is several things can install several. */
export const packs: readonly Pack[] = [ecommerce, saas, media, marketplace, fintech, mobileApp]
