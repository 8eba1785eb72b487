import {
  ChartLine,
  CircleDollarSign,
  House,
  LayoutDashboard,
  type LucideIcon,
  Route,
  Settings,
  ShieldCheck,
  Users,
} from 'lucide-react'
import type { AreaName } from './areas.ts'

const icons: Readonly<Record<AreaName, LucideIcon>> = {
  home: House,
  explore: ChartLine,
  boards: LayoutDashboard,
  paths: Route,
  errors: CircleDollarSign,
  quality: ShieldCheck,
  people: Users,
  settings: Settings,
}

export function AreaIcon({ area }: { area: AreaName }) {
  const Icon = icons[area]
  return <Icon className="icon" aria-hidden="true" />
}
