"""What a run found: the report, and its renderings as text, JSON, data frames and files."""

from serq_simpy.report.model import REPORT_VERSION, Gauge, Observe, Report

__all__ = ["REPORT_VERSION", "Gauge", "Observe", "Report"]
