import accessLog from '../../../plugins/observers/access-log.ts'
import telemetry from '../../../plugins/observers/telemetry/index.ts'
import { checkObserver } from '../../contracts/observer.ts'

checkObserver(accessLog)
checkObserver(telemetry, { options: { enabled: false, endpoint: 'http://127.0.0.1:4317' } })
