import {
  CircleAlert,
  CircleDollarSign,
  Eye,
  FileInput,
  type LucideIcon,
  MousePointerClick,
  Search,
  Sparkles,
  UserRound,
} from 'lucide-react'

/** Standard events by what they are about; all others are of the site's own making. */
const icons: readonly (readonly [RegExp, LucideIcon])[] = [
  [/^\$(?:pageview|screen|session_)/, Eye],
  [/^\$(?:click|rage_click|dead_click)/, MousePointerClick],
  [/^\$(?:purchase|revenue|refund|subscribe|upgrade|churn)/, CircleDollarSign],
  [/^\$(?:identify|group|signup|login|logout|invite)/, UserRound],
  [/^\$(?:error|exception)/, CircleAlert],
  [/^\$search/, Search],
  [/^\$(?:form|feedback)/, FileInput],
]

export function EventIcon({ name }: { name: string }) {
  const Icon = icons.find(([pattern]) => pattern.test(name))?.[1] ?? Sparkles
  return <Icon className="icon" aria-hidden="true" />
}
