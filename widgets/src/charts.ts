/** The views with charts: a module of its own, loaded when one of them is first opened. */

import type { Panel } from "./views/chapter";
import { ClusterView } from "./views/cluster";
import { FlameView } from "./views/flame";
import { PlanView } from "./views/plan";
import { TrainingView } from "./views/training";

/** How to make each view, by the title of its tab. */
export const views: Readonly<Record<string, new () => Panel>> = {
  "Memory plan": PlanView,
  "Training": TrainingView,
  "Profile": FlameView,
  "Cluster": ClusterView,
};
