export const noPython =
  'python3 is not installed; generated Python cannot be checked. On Debian: apt-get install python3'
export const noMypy =
  'mypy is not installed; generated Python cannot be checked. On Debian: apt-get install mypy'
