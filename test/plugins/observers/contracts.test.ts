import accessLog from '../../../plugins/observers/access-log.ts'
import credentials from '../../../plugins/observers/credentials/index.ts'
import live from '../../../plugins/observers/live-requests/index.ts'
import metrics from '../../../plugins/observers/metrics/index.ts'
import requestLog from '../../../plugins/observers/request-log/index.ts'
import requestTrails from '../../../plugins/observers/request-trails/index.ts'
import stats from '../../../plugins/observers/stats/index.ts'
import telemetry from '../../../plugins/observers/telemetry/index.ts'
import usage from '../../../plugins/observers/usage/index.ts'
import { checkObserver } from '../../contracts/observer.ts'
import { tempFolder } from '../../support/opened.ts'

checkObserver(accessLog)
checkObserver(telemetry, { options: { enabled: false, endpoint: 'http://127.0.0.1:4317' } })
checkObserver(requestTrails)
checkObserver(requestLog, { options: { enabled: true, path: tempFolder('log') } })
checkObserver(credentials, { options: { data_dir: tempFolder('credentials'), keyring: false } })
checkObserver(stats)
checkObserver(usage, { options: { path: tempFolder('usage') } })
checkObserver(metrics, { options: { enabled: true } })
checkObserver(live)
