"""The web pages of an evaluation campaign, for raters and for the organiser."""

from adequa.web.campaign.app import campaign_app
from adequa.web.campaign.site import Links, campaign_links, parse_base_url, write_links

__all__ = ["Links", "campaign_app", "campaign_links", "parse_base_url", "write_links"]
